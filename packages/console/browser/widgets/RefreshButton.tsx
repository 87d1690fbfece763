import { RefreshCw } from "lucide-react"
import { useTexts } from "../i18n/texts.ts"
import { usePricedLabel } from "../requests/catalogue.ts"
import type { RequestState } from "../requests/useRequest.ts"
import { Button } from "./Button.tsx"
import { widgetTexts } from "./texts.ts"

/**
 * A button that repeats a tool call and shows the price of the call. The button is hidden until the call has returned
 * data.
 */
export const RefreshButton = ({ variant, request, tool }: {
  readonly request: RequestState<unknown>
  readonly tool: string
  readonly variant?: "plain" | "quiet" | undefined
}) => {
  const texts = useTexts(widgetTexts)
  const pricedLabel = usePricedLabel()
  if (request.state !== "loaded") return null
  return (
    <Button variant={variant} onPress={request.refresh} isBusy={request.isFetching}>
      <RefreshCw aria-hidden />
      {pricedLabel(texts.refresh, tool)}
    </Button>
  )
}
