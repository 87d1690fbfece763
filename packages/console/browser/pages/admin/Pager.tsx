import { ChevronRight, ChevronsLeft } from "lucide-react"
import { useTexts } from "../../i18n/texts.ts"
import { navigate, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { adminTexts } from "./texts.ts"

/** Returns the current path with the query parameter `cursor` set or removed. */
const pathWithCursor = (path: string, query: URLSearchParams, cursor: string | undefined): string => {
  const next = new URLSearchParams(query)
  if (cursor === undefined) next.delete("cursor")
  else next.set("cursor", cursor)
  const text = next.toString()
  return text === "" ? path : `${path}?${text}`
}

/** The buttons below a list for the first and the next page. The URL of the page contains the cursor of the list. */
export const Pager = ({ next }: { readonly next: string | number | null }) => {
  const texts = useTexts(adminTexts)
  const { path, query } = useLocation()
  const isFirst = !query.has("cursor")
  if (isFirst && next === null) return null
  return (
    <div className="row gap-2 wrap">
      <Button isDisabled={isFirst} onPress={() => navigate(pathWithCursor(path, query, undefined))}>
        <ChevronsLeft aria-hidden />
        {texts.firstPage}
      </Button>
      <Button
        isDisabled={next === null}
        onPress={() => next !== null && navigate(pathWithCursor(path, query, String(next)))}
      >
        {texts.nextPage}
        <ChevronRight aria-hidden />
      </Button>
    </div>
  )
}
