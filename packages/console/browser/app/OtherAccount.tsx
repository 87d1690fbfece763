import { Users } from "lucide-react"
import type { AccountChange } from "../access/Access.tsx"
import { accessWords } from "../access/texts.ts"
import { useTexts } from "../i18n/texts.ts"
import { Button } from "../widgets/Button.tsx"
import { EmptyState } from "../widgets/states.tsx"
import { PlainFrame } from "./PlainFrame.tsx"
import { frameTexts } from "./texts.ts"

/**
 * Replaces all pages if the browser has signed in to a different account than the account for which the page was
 * loaded.
 */
export const OtherAccount = ({ current, previous }: AccountChange) => {
  const texts = useTexts(accessWords)
  const frame = useTexts(frameTexts)
  return (
    <PlainFrame>
      <div role="alert">
        <EmptyState
          icon={Users}
          title={texts.other(current.name, current.id)}
          action={<Button variant="primary" onPress={() => location.reload()}>{frame.reload}</Button>}
        >
          {texts.otherDetail(previous.name, previous.id)}
        </EmptyState>
      </div>
    </PlainFrame>
  )
}
