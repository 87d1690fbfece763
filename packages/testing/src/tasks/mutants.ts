import { type Firing, NotificationStore, type Task, TaskStore } from "@tapeline/core/tasks"
import { Context, Effect, Layer } from "effect"
import { MemoryState } from "../memory/MemoryState.ts"

type State = MemoryState["Service"]

interface Stores {
  readonly tasks: typeof TaskStore["Service"]
  readonly bell: typeof NotificationStore["Service"]
}

type Break = (stores: Stores, state: State) => {
  readonly tasks?: Partial<Stores["tasks"]>
  readonly bell?: Partial<Stores["bell"]>
}

/** Changes rows of tasks and firings where they are. */
const editing = ({ tasks: { firings, tasks } }: State) => ({
  task: (id: number, change: (task: Task) => Task): void => {
    const row = tasks.get(id)
    if (row !== undefined) row.task = change(row.task)
  },
  firing: (id: number, change: (firing: Firing) => Firing): void => {
    const row = firings.get(id)
    if (row !== undefined) row.firing = change(row.firing)
  }
})

const after = <A, E>(effect: Effect.Effect<A, E>, write: (answer: A) => void): Effect.Effect<A, E> =>
  Effect.tap(effect, (answer) => Effect.sync(() => write(answer)))

let fresh = 0

/** The stores with one promise broken; each named by what it does wrong. */
const breaks = {
  "claims what is not as it was read": ({ tasks }, { tasks: { tasks: rows } }) => ({
    tasks: {
      claim: (claim) =>
        Effect.suspend(() => {
          const task = rows.get(claim.task)?.task
          if (task === undefined) return tasks.claim(claim)
          const { next } = claim
          const from = task.kind === "watch" ? task.watch.checkedTo : task.nextAt
          return tasks.claim({ ...claim, version: task.version, next: { ...next, from } })
        })
    }
  }),
  "claims what is paused": ({ tasks }, state) => ({
    tasks: {
      claim: (claim) =>
        Effect.suspend(() => {
          const paused = state.tasks.tasks.get(claim.task)?.task.status === "paused"
          if (paused) editing(state).task(claim.task, (task) => ({ ...task, status: "active" }))
          return tasks.claim(claim)
        })
    }
  }),
  "claims what is held back": ({ tasks }, state) => ({
    tasks: {
      claim: (claim) =>
        Effect.suspend(() => {
          editing(state).task(claim.task, (task) => ({ ...task, notBefore: null }))
          return tasks.claim(claim)
        })
    }
  }),
  "claims before it is due": ({ tasks }) => ({
    tasks: { claim: (claim) => tasks.claim({ ...claim, dueAt: Math.min(claim.dueAt, 0) }) }
  }),
  "counts no run": ({ tasks }, state) => ({
    tasks: {
      claim: (claim) =>
        after(tasks.claim(claim), (firing) =>
          firing === null
            ? undefined
            : editing(state).task(claim.task, (task) => ({ ...task, runs: task.runs - 1 })))
    }
  }),
  "fires more often than it was to": ({ tasks }, state) => ({
    tasks: {
      claim: (claim) =>
        after(tasks.claim(claim), () => editing(state).task(claim.task, (task) => ({ ...task, status: "active" })))
    }
  }),
  "loses a claim whose task goes": ({ tasks }, { tasks: { firings } }) => ({
    tasks: {
      write: (account, call, change) =>
        after(tasks.write(account, call, change), () => {
          if (change._tag !== "Delete") return
          for (const [id, { firing }] of firings) if (firing.task === change.id) firings.delete(id)
        })
    }
  }),
  "takes what was just renewed": ({ tasks }) => ({ tasks: { take: (id) => tasks.take(id, 0) } }),
  "takes without another epoch": ({ tasks }, state) => ({
    tasks: {
      take: (id, staleMs) =>
        after(
          tasks.take(id, staleMs),
          (taken) =>
            taken === null ? undefined : editing(state).firing(id, (firing) => ({ ...firing, epoch: firing.epoch - 1 }))
        )
    }
  }),
  "ends under any epoch": ({ tasks }, { tasks: { firings } }) => ({
    tasks: {
      end: (fence, end) =>
        Effect.suspend(() => tasks.end({ ...fence, epoch: firings.get(fence.firing)?.firing.epoch ?? 0 }, end))
    }
  }),
  "ends what has ended once more": ({ tasks }, state) => ({
    tasks: {
      end: (fence, end) =>
        Effect.suspend(() => {
          editing(state).firing(fence.firing, (firing) => ({ ...firing, state: "asked" }))
          return tasks.end(fence, end)
        })
    }
  }),
  "asks under any epoch": ({ tasks }, { tasks: { firings } }) => ({
    tasks: {
      asked: (fence, generation) =>
        Effect.suspend(() => tasks.asked({ ...fence, epoch: firings.get(fence.firing)?.firing.epoch ?? 0 }, generation))
    }
  }),
  "gives no run back": ({ tasks }) => ({
    tasks: { end: (fence, end) => tasks.end(fence, { ...end, giveBack: null }) }
  }),
  "pauses nothing": ({ tasks }) => ({
    tasks: { end: (fence, end) => tasks.end(fence, { ...end, pauses: false }) }
  }),
  "reports to nobody": ({ tasks }) => ({
    tasks: { end: (fence, end) => tasks.end(fence, { ...end, report: null }) }
  }),
  "leaves a gap in the bell": ({ tasks }, { tasks: { bells, firings } }) => ({
    tasks: {
      end: (fence, end) =>
        after(tasks.end(fence, end), () => {
          const bell = bells.get(firings.get(fence.firing)?.firing.account ?? 0)
          if (bell !== undefined) bell.newest += 1
        })
    }
  }),
  "leaves the task in the conversation that is gone": ({ tasks }, state) => ({
    tasks: {
      rehouse: (fence) =>
        Effect.suspend(() => {
          const firing = state.tasks.firings.get(fence.firing)?.firing
          return after(tasks.rehouse(fence), () => {
            if (firing === undefined) return
            editing(state).task(firing.task, (task) => ({ ...task, conversation: firing.conversation }))
          })
        })
    }
  }),
  "keeps what an old look saw": (_stores, state) => ({
    tasks: {
      observe: (observed) =>
        Effect.sync(() => {
          for (const { task: id, watch } of observed) {
            editing(state).task(id, (task) => task.kind === "watch" ? { ...task, watch } : task)
          }
        })
    }
  }),
  "keeps no look": () => ({ tasks: { observe: () => Effect.void } }),
  "writes twice for a call": ({ tasks }) => ({
    tasks: { write: (account, call, change) => tasks.write(account, `${call}/${++fresh}`, change) }
  }),
  "changes another's task": ({ tasks }, { tasks: { tasks: rows } }) => ({
    tasks: {
      write: (account, call, change) =>
        Effect.suspend(() =>
          tasks.write(change._tag === "Create" ? account : rows.get(change.id)?.task.account ?? account, call, change)
        )
    }
  }),
  "shows another's task": ({ tasks }, { tasks: { tasks: rows } }) => ({
    tasks: { find: (account, id) => Effect.suspend(() => tasks.find(rows.get(id)?.task.account ?? account, id)) }
  }),
  "marks all": ({ bell }) => ({ bell: { mark: (account, call) => bell.mark(account, call, null) } }),
  "marks again": ({ bell }) => ({
    bell: { mark: (account, call, numbers) => bell.mark(account, `${call}/${++fresh}`, numbers) }
  })
} satisfies Record<string, Break>

const rules: Readonly<Record<keyof typeof breaks, Break>> = breaks

export type TaskMutant = keyof typeof breaks

// The keys are those of the object above.
export const taskMutants = Object.keys(breaks) as ReadonlyArray<TaskMutant>

/** The memory stores with one promise broken. A suite that does not catch it proves nothing. */
export const mutantTaskStores = (mutant: TaskMutant) =>
  Layer.effectContext(
    Effect.gen(function*() {
      const [state, tasks, bell] = yield* Effect.all([MemoryState, TaskStore, NotificationStore])
      const broken: ReturnType<Break> = rules[mutant]({ tasks, bell }, state)
      return Context.make(TaskStore, { ...tasks, ...broken.tasks }).pipe(
        Context.add(NotificationStore, { ...bell, ...broken.bell })
      )
    })
  )
