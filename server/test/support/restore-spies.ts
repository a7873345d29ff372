import { afterAll, vi } from 'vitest'

// Files share processes: what one spied on is itself again before the next is loaded.
afterAll(() => vi.restoreAllMocks())
