import type { SubmitEvent } from "react"
import { Button } from "../../widgets/Button.tsx"
import { Panel } from "../../widgets/parts.tsx"
import { useWords } from "../../words/words.ts"
import { ArgumentField } from "./ArgumentField.tsx"
import type { Field, Typed } from "./schema.ts"
import styles from "./ToolPage.module.css"
import { toolWords } from "./words.ts"

/** The arguments of a tool, and the button that calls it. */
export const ToolForm = ({ credits, faults, fields, isRunning, onChange, onRun, typed }: {
  readonly fields: ReadonlyArray<Field>
  readonly typed: Typed
  /** The messages by field name. */
  readonly faults: Readonly<Record<string, string>>
  readonly credits: number
  readonly isRunning: boolean
  readonly onChange: (name: string, value: string) => void
  readonly onRun: () => void
}) => {
  const says = useWords(toolWords)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onRun()
  }
  return (
    <Panel title={says.arguments}>
      <form className={styles["form"]} onSubmit={submit} noValidate>
        {fields.length === 0 && <p className={styles["soft"]}>{says.noArguments}</p>}
        {fields.map((field) => (
          <ArgumentField
            key={field.name}
            field={field}
            value={typed[field.name] ?? ""}
            fault={faults[field.name]}
            onChange={(value) => onChange(field.name, value)}
          />
        ))}
        <div className={styles["run"]}>
          <Button type="submit" look="primary" isBusy={isRunning}>{isRunning ? says.running : says.run}</Button>
          <span className={styles["soft"]}>{says.credits(credits)}</span>
        </div>
      </form>
    </Panel>
  )
}
