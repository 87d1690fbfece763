import type { SignedIn } from "@tapeline/client"
import { LogIn } from "lucide-react"
import type { ReactNode } from "react"
import { useTexts } from "../i18n/texts.ts"
import { Button } from "../widgets/Button.tsx"
import { PageHeader } from "../widgets/layout.tsx"
import { EmptyState, Skeleton } from "../widgets/states.tsx"
import { useAccess } from "./Access.tsx"
import { placeholderAccount } from "./placeholderAccount.ts"
import { accessWords } from "./texts.ts"
import { useAccount } from "./useAccount.ts"

/**
 * Shows content that needs a session, or explains to a user with a pasted key how to sign in. The HTML that the build
 * renders contains only the page's title and lead.
 */
export const RequireSession = ({ children, lead, title }: {
  readonly title: string
  readonly lead: string
  readonly children: (account: SignedIn) => ReactNode
}) => {
  const texts = useTexts(accessWords)
  const { signOut } = useAccess()
  const account = useAccount({ refetch: true })
  if (account === placeholderAccount) {
    return (
      <>
        <PageHeader title={title}>{lead}</PageHeader>
        <Skeleton lines={6} />
      </>
    )
  }
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
