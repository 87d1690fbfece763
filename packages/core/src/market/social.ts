/**
 * Social posts about coins, and their authors' accounts. Platforms publish different data; a field that a platform does
 * not publish is null.
 */
import type { Series } from "./series.ts"

export interface SocialAccount {
  readonly handle: string
  /** When the account was created. Young accounts are a sign of manufactured attention. */
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
  /** The coins that the post is about; never empty. */
  readonly coins: ReadonlyArray<string>
  readonly text: string
  /** BCP 47 language: `en`, `ko`, `ru`. */
  readonly language: string
  readonly likes: number | null
  readonly reposts: number | null
  /** Sentiment from -1 to 1. Null if it was not rated. */
  readonly sentiment: number | null
}

/** Posts about one coin in one bucket `[time, time + stepMs)`. */
export interface SocialActivity {
  readonly time: number
  readonly mentions: number
  /** The number of distinct accounts. */
  readonly authors: number
  /** The mean sentiment, from -1 to 1, of the rated posts. Null if no post was rated. */
  readonly sentiment: number | null
}

/** The posts about one coin in a list of all coins. */
export interface CoinActivity extends Series<SocialActivity> {
  readonly coin: string
}
