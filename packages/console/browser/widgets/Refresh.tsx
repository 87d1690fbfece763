import { RefreshCw } from "lucide-react"
import type { Asked } from "../asking/useAsk.ts"
import { usePriced } from "../asking/usePriced.ts"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import { widgetWords } from "./words.ts"

/** A button that calls the tool again, with the price. It is hidden until there is data. */
export const Refresh = ({ look, of: asked, tool }: {
  readonly of: Asked<unknown>
  readonly tool: string
  readonly look?: "plain" | "quiet" | undefined
}) => {
  const says = useWords(widgetWords)
  const priced = usePriced()
  if (asked.state !== "told") return null
  return (
    <Button look={look} onPress={asked.again} isBusy={asked.isAsking}>
      <RefreshCw aria-hidden />
      {priced(says.refresh, tool)}
    </Button>
  )
}
