import { isClientError, type SignedIn } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { makeClient } from "../requests/makeClient.ts"
import { readSignedInAccount } from "./readSignedInAccount.ts"

/** The access of a page when it is loaded. */
export type DetectedAccess =
  | { readonly kind: "session"; readonly account: SignedIn }
  | { readonly kind: "nothing"; readonly isSessionLost: boolean }
  | { readonly kind: "unreachable" }

/** Returns whether an error means that no user is signed in, or that the service has no sessions. */
export const isNotSignedIn = (error: unknown): boolean =>
  isClientError(error) && (error._tag === "SessionRequired" || error._tag === "NotFound")

/** Reads the signed-in account. `isSessionLikely` is true if the browser has sent a session cookie. */
export const detectAccess = (language: Language, isSessionLikely: boolean): Promise<DetectedAccess> =>
  readSignedInAccount(makeClient(undefined, language), isSessionLikely).then(
    (account): DetectedAccess =>
      account === undefined ? { kind: "nothing", isSessionLost: false } : { kind: "session", account },
    (error: unknown): DetectedAccess =>
      isNotSignedIn(error) ? { kind: "nothing", isSessionLost: false } : { kind: "unreachable" }
  )
