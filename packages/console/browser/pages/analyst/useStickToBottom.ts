import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"

const endMarginPx = 64

const loadMarginPx = 600

interface StickToBottom {
  readonly paneRef: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  readonly isAtEnd: boolean
  readonly scrollToEnd: () => void
}

/**
 * Keeps a growing scroll pane at its end while the user has scrolled to the end. If the user loads older content above
 * and `firstId` changes, the visible content stays in place.
 */
export const useStickToBottom = (firstId: number | undefined, onNearTop: () => void): StickToBottom => {
  const paneRef = useRef<HTMLDivElement>(null)
  const position = useRef({ isAtEnd: true, firstId, fromEnd: 0 })
  const [isAtEnd, setIsAtEnd] = useState(true)
  const scrollToEnd = useCallback(() => {
    const element = paneRef.current
    if (element === null) return
    element.scrollTop = element.scrollHeight
    position.current.isAtEnd = true
    setIsAtEnd(true)
  }, [])
  const onScroll = useCallback(() => {
    const element = paneRef.current
    if (element === null) return
    const fromEnd = element.scrollHeight - element.scrollTop
    position.current.fromEnd = fromEnd
    position.current.isAtEnd = fromEnd - element.clientHeight < endMarginPx
    setIsAtEnd(position.current.isAtEnd)
    if (element.scrollTop < loadMarginPx) onNearTop()
  }, [onNearTop])
  useLayoutEffect(() => {
    const element = paneRef.current
    if (element === null) return
    if (position.current.isAtEnd) element.scrollTop = element.scrollHeight
    else if (position.current.firstId !== firstId) element.scrollTop = element.scrollHeight - position.current.fromEnd
    position.current.firstId = firstId
    position.current.fromEnd = element.scrollHeight - element.scrollTop
  })
  useEffect(() => {
    const element = paneRef.current
    const content = element?.firstElementChild
    if (element === null || content === null || content === undefined) return
    // The observer detects that images and tables grow after loading.
    const observer = new ResizeObserver(() => {
      if (position.current.isAtEnd) element.scrollTop = element.scrollHeight
    })
    observer.observe(content)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { paneRef, onScroll, isAtEnd, scrollToEnd }
}
