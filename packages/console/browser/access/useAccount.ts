import { useRequest } from "../requests/useRequest.ts"
import { type SignedIn, useAccess } from "./Access.tsx"

const accountKey = ["account"] as const

/**
 * The account that is signed in; undefined for a key. By default it is the state at sign-in, and its plan may have
 * changed since. With `refetch`, the account is requested again.
 */
export const useAccount = ({ refetch = false }: { readonly refetch?: boolean } = {}): SignedIn | undefined => {
  const { credentials } = useAccess()
  const isDisabled = !refetch || credentials.kind !== "session"
  const request = useRequest(accountKey, (client, options) => client.account.read(options), { isDisabled })
  return credentials.kind !== "session" ? undefined : request.state === "told" ? request.data : credentials.account
}
