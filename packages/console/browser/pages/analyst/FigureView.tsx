import { createContext, type ReactNode, use, useEffect, useId, useRef, useState } from "react"
import { useTexts } from "../../i18n/texts.ts"
import styles from "./FigureView.module.css"
import type { FigureMark } from "./markFigures.ts"
import { analystTexts } from "./texts.ts"

/** The tool calls of an answer, by their ids. */
export const FigureSources = createContext<ReadonlyMap<string, string>>(new Map())

/** The distance between a source and the edges of the page, in CSS pixels. */
const edge = 8

const formatPath = (path: string): string => path.slice(1).replaceAll("/", ".")

/** Describes the source of a figure, such as `get_price: price`. */
const useSourceText = ({ call, minus, path }: FigureMark): string => {
  const texts = useTexts(analystTexts)
  const tools = use(FigureSources)
  if (call === undefined || path === undefined) return texts.figureUnmatched
  const name = (id: string) => id === "seed_context" ? texts.figureGiven : tools.get(id) ?? id
  const source = `${name(call)}: ${formatPath(path)}`
  return minus === undefined ? source : texts.figureDifference(source, `${name(minus.call)}: ${formatPath(minus.path)}`)
}

/** A number of an answer, which shows its source while the pointer is over it, while it has focus, and after a tap. */
export const FigureView = ({ children, mark }: { readonly mark: FigureMark; readonly children: ReactNode }) => {
  const texts = useTexts(analystTexts)
  const source = useSourceText(mark)
  const id = useId()
  const numberRef = useRef<HTMLButtonElement>(null)
  const sourceRef = useRef<HTMLSpanElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  useEffect(() => {
    const [number, box] = [numberRef.current?.getBoundingClientRect(), sourceRef.current]
    if (!isOpen || number === undefined || box === null) return
    const { height, width } = box.getBoundingClientRect()
    const left = Math.min(number.left, document.documentElement.clientWidth - width - edge)
    box.style.left = `${Math.max(edge, left)}px`
    box.style.top = `${number.top > height + edge ? number.top - height - 2 : number.bottom + 2}px`
    const closeElsewhere = ({ target }: Event) => {
      if (!(target instanceof Node && numberRef.current?.contains(target) === true)) setIsOpen(false)
    }
    for (const event of ["scroll", "pointerdown"]) addEventListener(event, closeElsewhere, { capture: true })
    return () => {
      for (const event of ["scroll", "pointerdown"]) removeEventListener(event, closeElsewhere, { capture: true })
    }
  }, [isOpen])
  return (
    <>
      <button
        ref={numberRef}
        type="button"
        className={mark.call === undefined ? styles["unmatched"] : styles["figure"]}
        aria-describedby={isOpen ? id : undefined}
        onPointerEnter={() => setIsOpen(true)}
        onPointerLeave={({ pointerType }) => pointerType === "mouse" && close()}
        onFocus={() => setIsOpen(true)}
        onBlur={close}
        onClick={() => setIsOpen(true)}
        onKeyDown={({ key }) => key === "Escape" && close()}
      >
        {children}
        {mark.call === undefined && <span className="hidden">{` (${texts.figureUnmatchedShort})`}</span>}
      </button>
      {isOpen && <span ref={sourceRef} id={id} role="tooltip" className={styles["source"]}>{source}</span>}
    </>
  )
}
