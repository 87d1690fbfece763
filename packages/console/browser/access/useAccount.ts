import { useAsk } from "../asking/useAsk.ts"
import { type SignedIn, useAccess } from "./Access.tsx"

const accountKey = ["account"] as const

/**
 * The account that is signed in; undefined for a key. By default it is the state at sign-in, and its plan may have
 * changed since. With `anew`, the account is requested again.
 */
export const useAccount = ({ anew = false }: { readonly anew?: boolean } = {}): SignedIn | undefined => {
  const { who } = useAccess()
  const isIdle = !anew || who.by !== "session"
  const told = useAsk(accountKey, (client, options) => client.account.read(options), { isIdle })
  return who.by !== "session" ? undefined : told.state === "told" ? told.data : who.account
}
