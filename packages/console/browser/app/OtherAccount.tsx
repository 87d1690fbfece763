import { Users } from "lucide-react"
import type { Other } from "../access/Access.tsx"
import { accessWords } from "../access/words.ts"
import { Button } from "../widgets/Button.tsx"
import { Empty } from "../widgets/states.tsx"
import { useWords } from "../words/words.ts"
import { Bare } from "./Bare.tsx"
import { frameWords } from "./words.ts"

/** Replaces all pages once the browser is signed in to another account than the page was opened for. */
export const OtherAccount = ({ now, was }: Other) => {
  const says = useWords(accessWords)
  const frame = useWords(frameWords)
  return (
    <Bare>
      <div role="alert">
        <Empty
          icon={Users}
          title={says.other(now.name, now.id)}
          action={<Button look="primary" onPress={() => location.reload()}>{frame.reload}</Button>}
        >
          {says.otherMore(was.name, was.id)}
        </Empty>
      </div>
    </Bare>
  )
}
