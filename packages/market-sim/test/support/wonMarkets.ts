import { dayMs } from "@tapeline/core/market"
import { waived } from "@tapeline/testing/contracts/waived"
import type { World } from "../../src/index.ts"

/** The won market that opened last before an instant, and the one that closed last, as the contract suite asks. */
export const wonMarkets = ({ korea }: World, now: number) => ({
  listing: korea.listings(now - dayMs, now, now).at(-1) ?? waived("none opened in the last day"),
  delisting: korea.delistings(now - 120 * dayMs, now).at(-1) ?? waived("none closed")
})
