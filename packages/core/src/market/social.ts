/**
 * Social posts about coins, and the accounts that wrote them. Platforms differ in what they tell: what one does not is
 * null.
 */
import type { Series } from "./series.ts"

export interface SocialAccount {
  readonly handle: string
  /** When the account was opened: young ones are a sign of manufactured attention. */
  readonly createdAt: number | null
  readonly followers: number | null
  readonly following: number | null
  /** Posts written in its life, about anything. */
  readonly postCount: number | null
}

export interface SocialPost {
  readonly id: string
  readonly time: number
  readonly platform: string
  readonly account: SocialAccount
  /** Coins that it is about; never empty. */
  readonly coins: ReadonlyArray<string>
  readonly text: string
  /** BCP 47 language: `en`, `ko`, `ru`. */
  readonly language: string
  readonly likes: number | null
  readonly reposts: number | null
  /** Tone from -1 to 1; null where nobody judged it. */
  readonly sentiment: number | null
}

/** Posts about one coin counted in one bucket `[time, time + stepMs)`. */
export interface SocialActivity {
  readonly time: number
  readonly mentions: number
  /** Distinct accounts. */
  readonly authors: number
  /** Mean tone from -1 to 1 of the posts that have one; null when none has. */
  readonly sentiment: number | null
}

/** The posts about one of all coins. */
export interface CoinActivity extends Series<SocialActivity> {
  readonly coin: string
}
