import { Schema } from "effect"
import { formatMessage } from "../messages/language.ts"

/** The limits of an API key, in addition to the limits of the account's plan. */
export interface KeyLimits {
  /** The credits that the key and its successors may use per month; null for no limit. */
  readonly monthlyCredits: number | null
  /** The requests per minute of the key; null for the limit of the plan. */
  readonly requestsPerMinute: number | null
  /** The ranges of IP addresses from which the key is accepted, in canonical CIDR notation; empty for all addresses. */
  readonly allowedIps: ReadonlyArray<string>
}

export const noKeyLimits: KeyLimits = { monthlyCredits: null, requestsPerMinute: null, allowedIps: [] }

/** The maximum number of address ranges of a key. */
export const maxAllowedIps = 50

/** The default and the maximum time in ms for which a rotated key stays valid next to its successor. */
export const keyOverlap = { defaultMs: 86_400_000, maxMs: 30 * 86_400_000 } as const

/** The error of a key that is used from an address outside of its ranges. */
export class AddressNotAllowed extends Schema.TaggedError<AddressNotAllowed>()("AddressNotAllowed", {}) {
  override get message(): string {
    return formatMessage({ key: "address_not_allowed" }, "en")
  }
}

/**
 * A key cannot be rotated, or its expiry cannot be postponed, because another key of its chain of rotations is valid.
 * `key` is the id of the chain's other valid key. At most two keys of a chain are valid at the same time.
 */
export class RotationRunning extends Schema.TaggedError<RotationRunning>()("RotationRunning", { key: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "rotation_running", params: { id: this.key } }, "en")
  }
}

/** The error of a rotation of a key that is revoked or expired. */
export class KeyEnded extends Schema.TaggedError<KeyEnded>()("KeyEnded", { key: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "key_ended", params: { id: this.key } }, "en")
  }
}
