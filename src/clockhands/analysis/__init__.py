"""Arrays in, labelled results out: numpy alone, so that every number can be had without torch.

labelled, export            results with axes and units, and their exact file twins
hands, spectrum             what the hands say, and how far each travels
kernel, kernel_map          similarity by distance, and any window of its matrix however large
similarity, neighbours      the matrix itself, and the step from one position to the next
horizon, precision          where similarity stops falling and comes back; what 16 bits leave of it
relative, diagonals, decay  RoPE's relative property, what projections do to it, what is true of its decay
add_concatenate             adding positions to tokens or putting them side by side
bias, attention             distance biases and their windows; where attention weights look
verdict                     what is wrong with a table of positions, in words and numbers
"""
