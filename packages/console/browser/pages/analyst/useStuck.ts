import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"

/** A text scrolled to within this distance of its end counts as scrolled to its end, in pixels. */
const nearPx = 64

/** The distance from the top at which earlier messages are loaded, in pixels. */
const earlyPx = 600

interface Stuck {
  readonly pane: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  readonly isAtEnd: boolean
  readonly toEnd: () => void
}

/**
 * Keeps the end of a growing pane in view while the reader is there. If earlier content is inserted, the content in
 * view keeps its place. `first` identifies the first item.
 */
export const useStuck = (first: number | undefined, nearTop: () => void): Stuck => {
  const pane = useRef<HTMLDivElement>(null)
  const place = useRef({ isAtEnd: true, first, fromEnd: 0 })
  const [isAtEnd, setIsAtEnd] = useState(true)
  const toEnd = useCallback(() => {
    const element = pane.current
    if (element === null) return
    element.scrollTop = element.scrollHeight
    place.current.isAtEnd = true
    setIsAtEnd(true)
  }, [])
  const onScroll = useCallback(() => {
    const element = pane.current
    if (element === null) return
    const fromEnd = element.scrollHeight - element.scrollTop
    place.current.fromEnd = fromEnd
    place.current.isAtEnd = fromEnd - element.clientHeight < nearPx
    setIsAtEnd(place.current.isAtEnd)
    if (element.scrollTop < earlyPx) nearTop()
  }, [nearTop])
  useLayoutEffect(() => {
    const element = pane.current
    if (element === null) return
    if (place.current.isAtEnd) element.scrollTop = element.scrollHeight
    else if (place.current.first !== first) element.scrollTop = element.scrollHeight - place.current.fromEnd
    place.current.first = first
    place.current.fromEnd = element.scrollHeight - element.scrollTop
  })
  useEffect(() => {
    const element = pane.current
    const content = element?.firstElementChild
    if (element === null || content === null || content === undefined) return
    // Images and tables get their size only when they are loaded.
    const observer = new ResizeObserver(() => {
      if (place.current.isAtEnd) element.scrollTop = element.scrollHeight
    })
    observer.observe(content)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { pane, onScroll, isAtEnd, toEnd }
}
