import { Check, Copy } from "lucide-react"
import { useEffect, useState } from "react"
import { useTexts } from "../i18n/texts.ts"
import { Button } from "./Button.tsx"
import styles from "./Code.module.css"
import { widgetTexts } from "./texts.ts"

export const CopyButton = ({ text }: { readonly text: string }) => {
  const texts = useTexts(widgetTexts)
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  // The copy button is shown only in secure contexts, because browsers forbid copying elsewhere.
  if (!isSecureContext) return null
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      // If the browser denies copying, nothing happens, because the user can still select the text.
      () => undefined
    )
  return (
    <Button variant="quiet" onPress={copy} isSquare aria-label={isCopied ? texts.copied : texts.copy}>
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </Button>
  )
}

export const Code = ({ label, text }: {
  readonly text: string
  readonly label: string
}) => (
  <figure className={styles["figure"]}>
    {/* The code is focusable, because users must be able to scroll the code by keyboard. */}
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
    <pre className={styles["code"]} tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
    <div className={styles["copy"]}>
      <CopyButton text={text} />
    </div>
  </figure>
)
