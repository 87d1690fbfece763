import { useNumbers } from "../../i18n/numbers.ts"
import { isScalar } from "./resultShape.ts"
import styles from "./ToolPage.module.css"
import { Value } from "./Value.tsx"

const sizeText = (value: object): string =>
  Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`

const TreeBranch = ({ depth, isOpen, name, value }: {
  readonly name: string
  readonly value: unknown
  readonly depth: number
  readonly isOpen: boolean
}) => {
  const numbers = useNumbers()
  if (isScalar(value)) {
    return (
      <div className={styles["leaf"]}>
        <code className={styles["soft"]}>{name}</code>
        <span>
          <Value name={name} value={value} numbers={numbers} />
        </span>
      </div>
    )
  }
  // The cast is safe because a value that is not a scalar is an object or a list.
  const entries = Object.entries(value as object)
  return (
    <details open={isOpen && (depth < 1 || entries.length < 4)} className={styles["branch"]}>
      <summary>
        <code>{name}</code> <span className={styles["soft"]}>{sizeText(value as object /* as above */)}</span>
      </summary>
      <div className={styles["leaves"]}>
        {entries.slice(0, 200).map(([key, one]) => (
          <TreeBranch key={key} name={key} value={one} depth={depth + 1} isOpen={isOpen} />
        ))}
        {entries.length > 200 && <span className={styles["soft"]}>…</span>}
      </div>
    </details>
  )
}

/** Shows a tool's result as an expandable tree. Short branches are expanded initially, unless `isOpen` is false. */
export const Tree = ({ isOpen = true, name, value }: {
  readonly name: string
  readonly value: unknown
  readonly isOpen?: boolean
}) => <TreeBranch name={name} value={value} depth={0} isOpen={isOpen} />
