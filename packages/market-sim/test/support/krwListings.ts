import { dayMs } from "@tapeline/core/market"
import { waive } from "@tapeline/testing/contracts/waiver"
import type { World } from "../../src/index.ts"

export const getRecentKrwListings = ({ korea }: World, now: number) => ({
  listing: korea.getListings(now - dayMs, now, now).at(-1) ?? waive("none opened in the last day"),
  delisting: korea.getDelistings(now - 120 * dayMs, now).at(-1) ?? waive("none closed"),
  closedCoin: korea.getDelistings(now - dayMs, now).at(-1)?.coin ?? waive("none closed in the last day")
})
