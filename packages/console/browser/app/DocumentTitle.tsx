import { useEffect } from "react"

/** Sets the title of the document, and scrolls to the top when a page opens. */
export const DocumentTitle = ({ title }: { readonly title: string }) => {
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    // In some browsers, `scrollTo` returns a promise, which an effect must not return.
    scrollTo(0, 0)
  }, [])
  return null
}
