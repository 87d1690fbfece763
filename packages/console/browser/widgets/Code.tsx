import { Check, Copy } from "lucide-react"
import { useEffect, useState } from "react"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import styles from "./Code.module.css"
import { widgetWords } from "./words.ts"

/** Copies a text, and says so for a moment. */
export const CopyButton = ({ text }: { readonly text: string }) => {
  const says = useWords(widgetWords)
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  // A page that was not loaded over TLS may not copy.
  if (!isSecureContext) return null
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      // The browser does not let it: the text stands there to be marked.
      () => undefined
    )
  return (
    <Button look="quiet" onPress={copy} isSquare aria-label={isCopied ? says.copied : says.copy}>
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </Button>
  )
}

/** A text as a machine reads it, to be copied. */
export const Code = ({ label, text }: {
  readonly text: string
  /** What it is, for who cannot see it. */
  readonly label: string
}) => (
  <figure className={styles["figure"]}>
    {/* It can be scrolled, and so must be reachable by keys. */}
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
    <pre className={styles["code"]} tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
    <div className={styles["copy"]}>
      <CopyButton text={text} />
    </div>
  </figure>
)
