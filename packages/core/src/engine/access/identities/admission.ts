/** What a provider says of somebody, by name; strangers chose parts of it. */
export type Claims = Readonly<Record<string, unknown>>

/** Who gets an account at the first sign-in. */
export interface NewAccounts {
  /** The plan of new accounts; without one only those get an account whom a claim gives a plan. */
  readonly plan: string | undefined
  /** A claim whose value, or one of whose values, says the plan of a new account; the first that is listed counts. */
  readonly byClaim: { readonly claim: string; readonly plans: Readonly<Record<string, string>> } | undefined
}

/** The claims that are looked at for an account's name, the best first. */
export const nameClaims = ["name", "preferred_username", "email"]

const mostCharacters = 100

/** Without what is not seen, or turns around what is; in one line, and without the half of a character that is cut. */
const cleaned = (name: string): string =>
  name.toWellFormed().replace(/\s+/gu, " ").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()
    .slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, "").trim()

/** What an account is called, by what is said of whose it is. */
export const nameOf = (claims: Claims): string =>
  nameClaims
    .map((claim) => claims[claim])
    .map((name) => typeof name === "string" ? cleaned(name.slice(0, 10 * mostCharacters)) : "")
    .find((name) => name !== "") ?? "OpenID"

/** The plan of an account that is made for somebody of whom this is said; null where none is to be made. */
export const planOf = ({ byClaim, plan }: NewAccounts, claims: Claims): string | null => {
  const said = byClaim === undefined ? undefined : claims[byClaim.claim]
  const values = Array.isArray(said) ? said : [said]
  const found = Object.entries(byClaim?.plans ?? {}).find(([value]) => values.includes(value))
  return found?.[1] ?? plan ?? null
}

/** True of a subject as the specification has them, which every store keeps as it is. */
export const isSoundSubject = (subject: string): boolean =>
  subject.length >= 1 && subject.length <= 255 && subject.isWellFormed() && !/\p{Cc}/u.test(subject)
