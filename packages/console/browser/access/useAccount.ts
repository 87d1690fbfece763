import { useRequest } from "../requests/useRequest.ts"
import { type SignedIn, useAccess } from "./Access.tsx"

const accountKey = ["account"] as const

/**
 * Returns the signed-in account, or undefined if the user signed in with a pasted API key. The account's plan is
 * current only if `refetch` is true.
 */
export const useAccount = ({ refetch = false }: { readonly refetch?: boolean } = {}): SignedIn | undefined => {
  const { credentials } = useAccess()
  const isDisabled = !refetch || credentials.kind !== "session"
  const request = useRequest(accountKey, (client, options) => client.account.read(options), { isDisabled })
  return credentials.kind !== "session" ? undefined : request.state === "loaded" ? request.data : credentials.account
}
