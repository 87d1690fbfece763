/** The account of a post's author. A field is null if the platform does not publish its value. */
import type { Series } from "./series.ts"

export interface SocialAccount {
  readonly handle: string
  /** The creation time of the account. Young accounts are a sign of manufactured attention. */
  readonly createdAt: number | null
  readonly followers: number | null
  readonly following: number | null
  /** The number of all posts of the account, about any subject. */
  readonly postCount: number | null
}

export interface SocialPost {
  readonly id: string
  readonly time: number
  readonly platform: string
  readonly account: SocialAccount
  /** The coins that the post is about; at least one. */
  readonly coins: ReadonlyArray<string>
  readonly text: string
  /** The BCP 47 language of the post, such as `en`, `ko` or `ru`. */
  readonly language: string
  readonly likes: number | null
  readonly reposts: number | null
  /** The sentiment of the post, from -1 to 1; null if the sentiment was not rated. */
  readonly sentiment: number | null
}

/** The posts about one coin in one bucket `[time, time + stepMs)`. */
export interface SocialActivity {
  readonly time: number
  readonly mentions: number
  /** The number of distinct accounts that posted. */
  readonly authors: number
  /** The mean sentiment of the rated posts, from -1 to 1; null if no post was rated. */
  readonly sentiment: number | null
}

/** One coin's posts by bucket, as an entry of a list. */
export interface CoinActivity extends Series<SocialActivity> {
  readonly coin: string
}
