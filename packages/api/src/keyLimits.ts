import { canonicalRange, maxAllowedIps } from "@tapeline/core/engine"
import { Schema } from "effect"

const monthlyCreditsDescription =
  "The credits that the key may use per month; null for no limit of its own. Credits that the key has already used " +
  "in the current month count. A key and its successors share these credits"
const requestsPerMinuteDescription = "The requests per minute of the key; null for the limit of the plan"
const allowedIpsDescription = "The IP addresses and CIDR ranges from which the key is accepted; empty for all addresses"

const AddressRange = Schema.String.check(
  Schema.makeFilter((text: string) => canonicalRange(text) !== null, {
    expected: "an IP address or a CIDR range without host bits",
    expectedMessage: { key: "expected_ip_range" }
  })
)

/** The limits of a key in requests. */
export const keyLimitFields = {
  monthly_credits: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })))
      .annotate({ description: monthlyCreditsDescription })
  ),
  requests_per_minute: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })))
      .annotate({ description: requestsPerMinuteDescription })
  ),
  allowed_ips: Schema.optionalKey(
    Schema.Array(AddressRange).check(Schema.isMaxLength(maxAllowedIps)).annotate({
      description: allowedIpsDescription
    })
  )
}

/** The limits of a key in responses. */
export const keyLimitResponseFields = {
  monthly_credits: Schema.NullOr(Schema.Int).annotate({ description: monthlyCreditsDescription }),
  requests_per_minute: Schema.NullOr(Schema.Int).annotate({ description: requestsPerMinuteDescription }),
  allowed_ips: Schema.Array(Schema.String).annotate({ description: allowedIpsDescription })
}
