"""Arrays in, labelled results out: numpy alone, so that every number can be had without torch.

labelled, export         results with axes and units, and their exact file twins
hands, spectrum          what the hands say, and how far each travels
kernel, kernel_map       similarity by distance, and any window of its matrix however large
similarity, neighbours   the matrix itself, and the step from one position to the next
"""
