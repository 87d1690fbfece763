import type { SignedIn } from "@tapeline/client"
import { LogIn } from "lucide-react"
import type { ReactNode } from "react"
import { useTexts } from "../i18n/texts.ts"
import { Button } from "../widgets/Button.tsx"
import { EmptyState } from "../widgets/states.tsx"
import { useAccess } from "./Access.tsx"
import { accessWords } from "./texts.ts"
import { useAccount } from "./useAccount.ts"

/** Shows content that needs a session, or explains to a user with a pasted key how to sign in. */
export const RequireSession = ({ children }: { readonly children: (account: SignedIn) => ReactNode }) => {
  const texts = useTexts(accessWords)
  const { signOut } = useAccess()
  const account = useAccount({ refetch: true })
  if (account !== undefined) return children(account)
  return (
    <EmptyState
      icon={LogIn}
      title={texts.needed}
      action={<Button onPress={() => void signOut()}>{texts.leave}</Button>}
    >
      {texts.neededDetail}
    </EmptyState>
  )
}
