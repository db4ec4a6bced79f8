// The triad of BabelStream, c = a + s * b, in C with OpenMP: prints the median bandwidth in GB/s.
// Usage: triad ELEMENTS REPEAT

#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: triad ELEMENTS REPEAT\n");
        return 2;
    }
    const long n = atol(argv[1]), repeat = atol(argv[2]);
    if (n <= 0 || repeat <= 0) {
        fprintf(stderr, "elements and repeat must be positive\n");
        return 2;
    }
    // Aligned, so that the compiler's vector loops meet whole cache lines.
    const size_t bytes = ((size_t)n * sizeof(float) + 63) / 64 * 64;
    float *restrict a = aligned_alloc(64, bytes);
    float *restrict b = aligned_alloc(64, bytes);
    float *restrict c = aligned_alloc(64, bytes);
    double *seconds = malloc((size_t)repeat * sizeof(double));
    if (!a || !b || !c || !seconds) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    const float s = 0.4f;
    // Each thread touches its own part first, where memory is not the same distance from all cores.
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        a[i] = 0.1f;
        b[i] = 0.2f;
        c[i] = 0.0f;
    }
    // Run -1 is the warm-up.
    for (long run = -1; run < repeat; run++) {
        const double start = omp_get_wtime();
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++) {
            c[i] = a[i] + s * b[i];
        }
        if (run >= 0) {
            seconds[run] = omp_get_wtime() - start;
        }
    }
    for (long i = 0; i < n; i++) {
        const float error = c[i] - 0.18f;
        if (error > 1e-6f || error < -1e-6f) {
            fprintf(stderr, "wrong result at %ld: %g\n", i, c[i]);
            return 1;
        }
    }
    qsort(seconds, (size_t)repeat, sizeof(double), ascending);
    const double median = (seconds[repeat / 2] + seconds[(repeat - 1) / 2]) / 2;
    printf("%.3f\n", 3.0 * (double)n * sizeof(float) / median / 1e9);
    return 0;
}
