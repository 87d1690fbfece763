import type { Key } from "@tapeline/client"
import { Ban, SlidersHorizontal } from "lucide-react"
import { useMemo } from "react"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import lists from "../../widgets/lists.module.css"
import { Badge } from "../../widgets/parts.tsx"
import { useAgo } from "../../words/ago.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import styles from "./KeysPage.module.css"
import { type KeyState, stateOf } from "./keyState.ts"
import { keysWords } from "./words.ts"

export interface Acting {
  readonly change: (key: Key) => void
  readonly revoke: (key: Key) => void
}

const looks = { live: "good", ending: "tape", expired: "plain", revoked: "plain" } as const

const State = ({ state }: { readonly state: KeyState }) => {
  const says = useWords(keysWords)
  const names = {
    live: says.stateLive,
    ending: says.stateEnding,
    expired: says.stateExpired,
    revoked: says.stateRevoked
  }
  return <Badge look={looks[state]}>{names[state]}</Badge>
}

/** A key's name. On a narrow screen, the other properties are shown below it. */
const Named = ({ of: key, now }: { readonly of: Key; readonly now: number }) => {
  const says = useWords(keysWords)
  const ago = useAgo()
  const { day } = useNumbers()
  return (
    <div className={styles["named"]}>
      <span className={styles["name"]}>{key.name}</span>
      <code className={styles["prefix"]}>{key.prefix}…</code>
      <span className={lists["under"]}>
        <State state={stateOf(key, now)} />
        <span>{key.last_used_at === null ? says.unused : says.used(ago(key.last_used_at, now))}</span>
        {key.expires_at !== null && <span>{says.ends(day(key.expires_at))}</span>}
        <code>{key.scopes.join(" ")}</code>
      </span>
    </div>
  )
}

const Actions = ({ acting, of: key }: { readonly of: Key; readonly acting: Acting }) => {
  const says = useWords(keysWords)
  return (
    <span className={styles["actions"]}>
      <Button look="quiet" isSquare aria-label={says.change(key.name)} onPress={() => acting.change(key)}>
        <SlidersHorizontal aria-hidden />
      </Button>
      <Button look="quiet" isSquare aria-label={says.revoke(key.name)} onPress={() => acting.revoke(key)}>
        <Ban aria-hidden />
      </Button>
    </span>
  )
}

const timeOf = (text: string | null): number | null => text === null ? null : Date.parse(text)

const useColumns = (now: number, acting: Acting | undefined): ReadonlyArray<DataColumn<Key>> => {
  const says = useWords(keysWords)
  const ago = useAgo()
  const { day } = useNumbers()
  return useMemo(() => [
    {
      id: "name",
      title: says.name,
      isHead: true,
      order: ({ name }) => name,
      cell: (key) => <Named of={key} now={now} />
    },
    {
      id: "scopes",
      title: says.scopes,
      isMinor: true,
      cell: ({ scopes }) => (
        <span className={styles["scopes"]}>{scopes.map((scope) => <code key={scope}>{scope}</code>)}</span>
      )
    },
    {
      id: "created",
      title: says.created,
      isMinor: true,
      order: ({ created_at }) => Date.parse(created_at),
      cell: ({ created_at }) => <span className={lists["when"]}>{day(created_at)}</span>
    },
    {
      id: "lastUse",
      title: says.lastUse,
      isMinor: true,
      order: ({ last_used_at }) => timeOf(last_used_at),
      cell: ({ last_used_at }) => (
        <span className={lists["when"]}>{last_used_at === null ? says.never : ago(last_used_at, now)}</span>
      )
    },
    {
      id: "expires",
      title: says.expires,
      isMinor: true,
      order: ({ expires_at }) => timeOf(expires_at),
      cell: ({ expires_at }) => (
        <span className={lists["when"]}>{expires_at === null ? says.never : day(expires_at)}</span>
      )
    },
    {
      id: "state",
      title: says.state,
      isMinor: true,
      cell: (key) => (
        <span className={lists["when"]}>
          <State state={stateOf(key, now)} />
        </span>
      )
    },
    ...(acting === undefined ? [] : [{
      id: "actions",
      title: says.actions,
      isNumber: true,
      cell: (key: Key) => <Actions of={key} acting={acting} />
    }])
  ], [says, ago, day, now, acting])
}

const idOf = ({ id }: Key): number => id

/** A table of keys. Revoked and expired keys have no actions. */
export const KeysTable = ({ acting, keys, label, now }: {
  readonly keys: ReadonlyArray<Key>
  readonly label: string
  readonly now: number
  readonly acting?: Acting | undefined
}) => {
  const columns = useColumns(now, acting)
  return <DataTable label={label} rows={keys} columns={columns} rowId={idOf} />
}
