/** The provider's claims about a user, by name. Parts of them are chosen by strangers. */
export type Claims = Readonly<Record<string, unknown>>

/** The rules for accounts that are created at the first sign-in. */
export interface NewAccounts {
  /** The plan of new accounts. If undefined, only users with a claim that maps to a plan get an account. */
  readonly plan: string | undefined
  /**
   * A claim that maps to the plan of a new account. If the claim has several values, the first entry of `plans` that
   * matches counts.
   */
  readonly byClaim: { readonly claim: string; readonly plans: Readonly<Record<string, string>> } | undefined
}

/** The claims that may contain the account's name, best first. */
export const nameClaims = ["name", "preferred_username", "email"]

const mostCharacters = 100

/**
 * Removes invisible and direction-changing characters, and puts the name in one line. The cut never leaves half of a
 * character.
 */
const cleaned = (name: string): string =>
  name.toWellFormed().replace(/\s+/gu, " ").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()
    .slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, "").trim()

/** The name of a new account, from the claims. */
export const nameOf = (claims: Claims): string =>
  nameClaims
    .map((claim) => claims[claim])
    .map((name) => typeof name === "string" ? cleaned(name.slice(0, 10 * mostCharacters)) : "")
    .find((name) => name !== "") ?? "OpenID"

/** The plan of a new account for these claims. Null if no account may be created. */
export const planOf = ({ byClaim, plan }: NewAccounts, claims: Claims): string | null => {
  const said = byClaim === undefined ? undefined : claims[byClaim.claim]
  const values = Array.isArray(said) ? said : [said]
  const found = Object.entries(byClaim?.plans ?? {}).find(([value]) => values.includes(value))
  return found?.[1] ?? plan ?? null
}

/** True if every store can keep `subject` unchanged and it has 1 to 255 characters, as the specification requires. */
export const isSoundSubject = (subject: string): boolean =>
  subject.length >= 1 && subject.length <= 255 && subject.isWellFormed() && !/\p{Cc}/u.test(subject)
