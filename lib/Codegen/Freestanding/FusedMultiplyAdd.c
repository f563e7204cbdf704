/* fma and fmaf for processors that have no instruction for it, rounded once, to
   nearest even: LLVM calls them for math.fma. C17 7.12.13.1, annex F.10.10.1.
 */
#include <stdint.h>

typedef unsigned __int128 wide;

static uint64_t bitsOf(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double ofBits(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/* The product of two floats is a double; of the sum, what is lost by rounding
   is kept in its last bit, which is far beyond those of a float (rounding to
   odd: Boldo and Melquiond, IEEE Transactions on Computers 57, 2008). */
float fmaf(float x, float y, float z) {
  double product = (double)x * y, sum = product + z;
  double part = sum - product;
  double lost = (product - (sum - part)) + (z - part);
  uint64_t bits = bitsOf(sum);
  /* Also false where anything is NaN or infinite: then `lost` is NaN. */
  if ((lost < 0 || lost > 0) && !(bits & 1))
    sum = ofBits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
  return (float)sum;
}

enum { fraction = 52, bias = 1023, top = 2047 };

/* A finite number that is not zero, as mantissa * 2^exponent; the mantissa has
   its top bit at 2^52. */
static uint64_t split(uint64_t bits, int *exponent) {
  uint64_t mantissa = bits & (((uint64_t)1 << fraction) - 1);
  int biased = (int)(bits >> fraction) & top;
  if (biased)
    mantissa |= (uint64_t)1 << fraction;
  else
    biased = 1;
  while (!(mantissa >> fraction)) {
    mantissa <<= 1;
    --biased;
  }
  *exponent = biased - bias - fraction;
  return mantissa;
}

/* `value` moved down; what falls off stays as the last bit. */
static wide moveDown(wide value, int by) {
  if (by >= 128)
    return value != 0;
  wide rest = by ? value << (128 - by) : 0;
  return value >> by | (rest != 0);
}

/* `value` * 2^exponent, rounded. `value` is not zero and below 2^127. */
static double rounded(uint64_t sign, wide value, int exponent) {
  int high = (uint64_t)(value >> 64) ? 127 - __builtin_clzll(value >> 64)
                                     : 63 - __builtin_clzll((uint64_t)value);
  int biased = exponent + high + bias;
  /* A subnormal number's last bit is fixed. */
  int drop = biased > 0 ? high - fraction : -(bias + fraction - 1) - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = (uint64_t)(value << -drop);
  } else {
    /* Two bits more: half of the last one kept, and whether there is more. */
    wide more = moveDown(value << 1, drop - 1);
    wide half = more & 3;
    kept = (uint64_t)(more >> 2);
    if (half > 2 || (half == 2 && (kept & 1)))
      ++kept;
  }
  if (biased >= top)
    return ofBits(sign | (uint64_t)top << fraction);
  /* The mantissa's top bit, and a carry, count up the exponent. */
  return ofBits(sign |
                (((uint64_t)(biased > 0 ? biased - 1 : 0) << fraction) + kept));
}

double fma(double x, double y, double z) {
  const uint64_t signBit = (uint64_t)1 << 63;
  uint64_t a = bitsOf(x), b = bitsOf(y), c = bitsOf(z);
  const uint64_t infinity = (uint64_t)top << fraction;
  uint64_t sizeA = a & ~signBit, sizeB = b & ~signBit, sizeC = c & ~signBit;
  /* What is exact or no number. */
  if (sizeA >= infinity || sizeB >= infinity || sizeA == 0 || sizeB == 0)
    return x * y + z;
  if (sizeC >= infinity)
    return z + z;
  if (sizeC == 0)
    return x * y;
  int ea, eb, ec;
  uint64_t ma = split(a, &ea), mb = split(b, &eb), mc = split(c, &ec);
  uint64_t signs[2] = {(a ^ b) & signBit, c & signBit};
  /* Both with their top bit at 2^124 to 2^125. */
  wide product = (wide)ma * mb << 20, sum = (wide)mc << 72;
  int ep = ea + eb - 20, es = ec - 72;
  int exponent = ep > es ? ep : es;
  if (ep < exponent)
    product = moveDown(product, exponent - ep);
  else
    sum = moveDown(sum, exponent - es);
  if (signs[0] == signs[1])
    return rounded(signs[0], product + sum, exponent);
  if (product == sum)
    return 0;
  return product > sum ? rounded(signs[0], product - sum, exponent)
                       : rounded(signs[1], sum - product, exponent);
}
