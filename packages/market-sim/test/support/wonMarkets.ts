import { dayMs } from "@tapeline/core/market"
import { waived } from "@tapeline/testing/contracts/waived"
import type { World } from "../../src/index.ts"

/** The last KRW listing and delisting before an instant, as the contract suite needs them. */
export const wonMarkets = ({ korea }: World, now: number) => ({
  listing: korea.listings(now - dayMs, now, now).at(-1) ?? waived("none opened in the last day"),
  delisting: korea.delistings(now - 120 * dayMs, now).at(-1) ?? waived("none closed")
})
