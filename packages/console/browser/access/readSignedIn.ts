import type { Client, SignedIn } from "@tapeline/client"
import { patienceMs } from "../asking/service.ts"

/**
 * Reads who is signed in; undefined if the browser has no session. Without a session the account is not requested,
 * because browsers log each 401 as an error. An older service does not say whether there is a session.
 */
export const readSignedIn = async (
  { account }: { readonly account: Pick<Client["account"], "read" | "ways"> }
): Promise<SignedIn | undefined> => {
  const options = { timeout_ms: patienceMs }
  const ways: { readonly has_session?: boolean } = await account.ways(options)
  return ways.has_session === false ? undefined : account.read(options)
}
