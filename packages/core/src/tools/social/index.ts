import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getAuthenticity } from "./getAuthenticity.ts"
import { getSocialHistory } from "./getSocialHistory.ts"
import { getSocialMomentum } from "./getSocialMomentum.ts"
import { getTrending } from "./getTrending.ts"

export { getAuthenticity, getSocialHistory, getSocialMomentum, getTrending }

export const socialSpecifications = [getSocialMomentum, getSocialHistory, getAuthenticity, getTrending] as const

/** Functions that import the handlers of the social tools, by tool name. */
export default {
  get_social_momentum: () => import("./getSocialMomentum.handler.ts"),
  get_social_history: () => import("./getSocialHistory.handler.ts"),
  get_authenticity: () => import("./getAuthenticity.handler.ts"),
  get_trending: () => import("./getTrending.handler.ts")
} satisfies HandlersFrom<typeof socialSpecifications>
