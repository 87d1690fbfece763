import { useRequest } from "../requests/useRequest.ts"
import { type SignedIn, useAccess } from "./Access.tsx"

const accountKey = ["account"] as const

/**
 * Returns the signed-in account, whose plan may be outdated unless `refetch` is true, or undefined for a pasted key.
 */
export const useAccount = ({ refetch = false }: { readonly refetch?: boolean } = {}): SignedIn | undefined => {
  const { credentials } = useAccess()
  const isDisabled = !refetch || credentials.kind !== "session"
  const request = useRequest(accountKey, (client, options) => client.account.read(options), { isDisabled })
  return credentials.kind !== "session" ? undefined : request.state === "loaded" ? request.data : credentials.account
}
