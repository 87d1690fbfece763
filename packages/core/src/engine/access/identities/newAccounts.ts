/**
 * The identity provider's claims about a user, by claim name. Users choose some of the claims, so claims are untrusted.
 */
export type Claims = Readonly<Record<string, unknown>>

/** The rules for accounts that are created at the first sign-in. */
export interface NewAccountRules {
  /** The default plan of new accounts. Without a default plan, only users whose claim selects a plan get an account. */
  readonly plan: string | undefined
  /**
   * Selects the plan of a new account by the value of a claim. The first entry of `plans` that matches the claim
   * applies.
   */
  readonly planClaim: { readonly claim: string; readonly plans: Readonly<Record<string, string>> } | undefined
}

/** The claims that may contain the account's name, in order of preference. */
export const nameClaims = ["name", "preferred_username", "email"]

const maxCharacters = 100

/** Removes invisible characters and characters that change the text direction, and puts the name on one line. */
const cleanName = (name: string): string =>
  name.toWellFormed().replace(/\s+/gu, " ").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()
    .slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, "").trim()

export const accountName = (claims: Claims): string =>
  nameClaims
    .map((claim) => claims[claim])
    .map((name) => typeof name === "string" ? cleanName(name.slice(0, 10 * maxCharacters)) : "")
    .find((name) => name !== "") ?? "OpenID"

/** Returns the plan of a new account for these claims, or null if no account may be created. */
export const accountPlan = ({ planClaim, plan }: NewAccountRules, claims: Claims): string | null => {
  const claimed = planClaim === undefined ? undefined : claims[planClaim.claim]
  const values = Array.isArray(claimed) ? claimed : [claimed]
  const match = Object.entries(planClaim?.plans ?? {}).find(([value]) => values.includes(value))
  return match?.[1] ?? plan ?? null
}

/** Returns whether every store can store `subject`. OpenID Connect limits a subject to 255 characters. */
export const isStorableSubject = (subject: string): boolean =>
  subject.length >= 1 && subject.length <= 255 && subject.isWellFormed() && !/\p{Cc}/u.test(subject)
