// Keys of a manifest's records that others read than `inspect`.

#ifndef HEDDLE_RUNTIME_FORMAT_RECORDKEYS_H
#define HEDDLE_RUNTIME_FORMAT_RECORDKEYS_H

namespace heddle::format {

/// Among `provenance`: which products have narrower factors than the model
/// says, as people read it. Absent where none was asked for.
inline constexpr const char *precisionKey = "precision";
/// Among `records`: what is known of the errors of that, a letter for each
/// tier of the certificate: E, estimated, and V, validated on data. Absent
/// without a certificate.
inline constexpr const char *precisionTiersKey = "precision.tiers";

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_RECORDKEYS_H
