import { Schema } from "effect"
import { nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, roundToDecimals } from "../../engine/tool/rounding.ts"

/** The fields for the social activity of a coin, in the results of all social tools. */
export const activityFields = {
  mentions: Schema.Int.annotate({ description: "Posts of the 24 full hours that ended at `until`" }),
  acceleration: nullableQuantity(
    "Posts of these 24 hours over those of the same hours a day before, less 1 (1: twice as many), hours not recorded whole on both days left out; null under 18 hours, or 10 posts before",
    fraction
  ),
  z: nullableQuantity(
    "Difference of the two counts over the square root of their sum: beyond 2 is seldom chance; null where acceleration is",
    roundToDecimals(4)
  ),
  sentiment: nullableQuantity(
    "Mean tone of the 24 hours, each hour weighed by its posts, -1 to 1; null where no post has one",
    fraction
  )
}
