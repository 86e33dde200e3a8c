#ifndef WHET_TESTS_FAKE_CUDA_KIT_H
#define WHET_TESTS_FAKE_CUDA_KIT_H

/* Lets a test program use fake_cuda.c as libcuda; see there for the modes. */

/** Let WHET_CUDA_LIBRARY name a fresh copy of the fake in a mode ("" = all goes
 *  well): a driver never opened before, with a state of its own. It is removed
 *  by fake_cuda_remove. Fails the test if there is no fake. */
void fake_cuda_use(const char *mode);

/** Remove the copies and take the variable back. For a teardown. */
int fake_cuda_remove(void **state);

#endif /* WHET_TESTS_FAKE_CUDA_KIT_H */
