import { Schema } from "effect"
import { nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, roundToDecimals } from "../../engine/tool/rounding.ts"

export const activityFields = {
  mentions: Schema.Int.annotate({ description: "Posts of the 24 full hours that ended at `until`" }),
  acceleration: nullableQuantity(
    "Posts of these 24 hours / posts of the same hours a day earlier - 1 (1: twice as many), without hours that are incomplete on either day; null with fewer than 18 hours or 10 earlier posts",
    fraction
  ),
  z: nullableQuantity(
    "Difference of the two counts over the square root of their sum; beyond 2 it is rarely chance; null if acceleration is null",
    roundToDecimals(4)
  ),
  sentiment: nullableQuantity(
    "Mean tone of the 24 hours, with each hour weighted by its posts, -1 to 1; null if no post has a tone",
    fraction
  )
}
