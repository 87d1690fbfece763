import type { Client, SignedIn } from "@tapeline/client"
import { requestTimeoutMs } from "../requests/makeClient.ts"

/**
 * Returns the signed-in account, or undefined if the browser has no session. Unless `isSessionLikely` is true, first
 * requests whether the browser has a session, because browsers log each 401 response as an error.
 */
export const readSignedInAccount = async (
  { account }: { readonly account: Pick<Client["account"], "read" | "signInWays"> },
  isSessionLikely: boolean
): Promise<SignedIn | undefined> => {
  const options = { timeout_ms: requestTimeoutMs }
  if (isSessionLikely) return account.read(options)
  const ways: { readonly has_session?: boolean } = await account.signInWays(options)
  return ways.has_session === false ? undefined : account.read(options)
}
