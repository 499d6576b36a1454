"""The demonstration: real digits, a layer of one's own in C, from compiling to a picture of the predictions."""
