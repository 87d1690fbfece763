import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getDexPools } from "./getDexPools.ts"
import { getOnchain } from "./getOnchain.ts"
import { getStablecoinFlows } from "./getStablecoinFlows.ts"
import { getToken } from "./getToken.ts"
import { getWhaleTransfers } from "./getWhaleTransfers.ts"
import { searchTokens } from "./searchTokens.ts"

export { getDexPools, getOnchain, getStablecoinFlows, getToken, getWhaleTransfers, searchTokens }

export const onchainSpecifications = [
  getOnchain,
  getToken,
  searchTokens,
  getDexPools,
  getWhaleTransfers,
  getStablecoinFlows
] as const

/** Functions that import the handlers of the on-chain tools, by tool name. */
export default {
  get_onchain: () => import("./getOnchain.handler.ts"),
  get_token: () => import("./getToken.handler.ts"),
  search_tokens: () => import("./searchTokens.handler.ts"),
  get_dex_pools: () => import("./getDexPools.handler.ts"),
  get_whale_transfers: () => import("./getWhaleTransfers.handler.ts"),
  get_stablecoin_flows: () => import("./getStablecoinFlows.handler.ts")
} satisfies HandlersFrom<typeof onchainSpecifications>
