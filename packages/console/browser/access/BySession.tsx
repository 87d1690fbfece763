import type { SignedIn } from "@tapeline/client"
import { LogIn } from "lucide-react"
import type { ReactNode } from "react"
import { Button } from "../widgets/Button.tsx"
import { Empty } from "../widgets/states.tsx"
import { useWords } from "../words/words.ts"
import { useAccess } from "./Access.tsx"
import { useAccount } from "./useAccount.ts"
import { accessWords } from "./words.ts"

/** Content that needs a session. If the user pasted a key, it explains how to sign in instead. */
export const BySession = ({ children }: { readonly children: (account: SignedIn) => ReactNode }) => {
  const says = useWords(accessWords)
  const { leave } = useAccess()
  const account = useAccount({ anew: true })
  if (account !== undefined) return children(account)
  return (
    <Empty icon={LogIn} title={says.needed} action={<Button onPress={() => void leave()}>{says.leave}</Button>}>
      {says.neededMore}
    </Empty>
  )
}
