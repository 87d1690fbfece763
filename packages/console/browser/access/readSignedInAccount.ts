import type { Client, SignedIn } from "@tapeline/client"
import { requestTimeoutMs } from "../requests/makeClient.ts"

/**
 * Reads the account that is signed in. Returns undefined if the browser has no session: the account is not requested
 * then, because browsers log each 401 as an error. An older service does not report whether there is a session.
 */
export const readSignedInAccount = async (
  { account }: { readonly account: Pick<Client["account"], "read" | "signInWays"> }
): Promise<SignedIn | undefined> => {
  const options = { timeout_ms: requestTimeoutMs }
  const ways: { readonly has_session?: boolean } = await account.signInWays(options)
  return ways.has_session === false ? undefined : account.read(options)
}
