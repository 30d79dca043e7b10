"""What the browser is given to show: pages of ours and of others, of the same attention."""
