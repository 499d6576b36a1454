"""The demonstration: real digits, a custom layer in C, from compiling to a picture of the predictions."""
