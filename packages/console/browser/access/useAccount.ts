import { useAsk } from "../asking/useAsk.ts"
import { type SignedIn, useAccess } from "./Access.tsx"

const accountKey = ["account"] as const

/**
 * The account of who is signed in, undefined for a key: as it was at the sign-in, until a page that shows more of it
 * asks for it `anew`. Its plan may be another by then.
 */
export const useAccount = ({ anew = false }: { readonly anew?: boolean } = {}): SignedIn | undefined => {
  const { who } = useAccess()
  const isIdle = !anew || who.by !== "session"
  const told = useAsk(accountKey, (client, options) => client.account.read(options), { isIdle })
  return who.by !== "session" ? undefined : told.state === "told" ? told.data : who.account
}
