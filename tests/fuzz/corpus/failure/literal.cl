/**/#define A \
 1 // x
"a\