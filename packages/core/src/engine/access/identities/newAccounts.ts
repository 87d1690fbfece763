/** The provider's claims about a user, by name. Parts of them are chosen by strangers. */
export type Claims = Readonly<Record<string, unknown>>

/** The rules for accounts that are created at the first sign-in. */
export interface NewAccountRules {
  /** The plan of new accounts. If undefined, only users with a claim that maps to a plan get an account. */
  readonly plan: string | undefined
  /**
   * A claim that maps to the plan of a new account. If the claim has several values, the first entry of `plans` that
   * matches counts.
   */
  readonly planClaim: { readonly claim: string; readonly plans: Readonly<Record<string, string>> } | undefined
}

/** The claims that may contain the account's name, best first. */
export const nameClaims = ["name", "preferred_username", "email"]

const maxCharacters = 100

/**
 * Removes invisible and direction-changing characters, and puts the name in one line. The cut never leaves half of a
 * character.
 */
const cleanName = (name: string): string =>
  name.toWellFormed().replace(/\s+/gu, " ").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()
    .slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, "").trim()

/** The name of a new account, from the claims. */
export const accountName = (claims: Claims): string =>
  nameClaims
    .map((claim) => claims[claim])
    .map((name) => typeof name === "string" ? cleanName(name.slice(0, 10 * maxCharacters)) : "")
    .find((name) => name !== "") ?? "OpenID"

/** The plan of a new account for these claims. Null if no account may be created. */
export const accountPlan = ({ planClaim, plan }: NewAccountRules, claims: Claims): string | null => {
  const claimed = planClaim === undefined ? undefined : claims[planClaim.claim]
  const values = Array.isArray(claimed) ? claimed : [claimed]
  const match = Object.entries(planClaim?.plans ?? {}).find(([value]) => values.includes(value))
  return match?.[1] ?? plan ?? null
}

/** True if every store can keep `subject` unchanged and it has 1 to 255 characters, as the specification requires. */
export const isStorableSubject = (subject: string): boolean =>
  subject.length >= 1 && subject.length <= 255 && subject.isWellFormed() && !/\p{Cc}/u.test(subject)
