import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      { test: { name: "maths", include: ["test/maths/**/*.test.ts"] } },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          maxWorkers: 2,
          // They end what hangs, and are no measure of speed: a busy machine takes several times as long.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          env: { REFERENCES: mode === "references" ? "anew" : "" },
        },
      },
    ],
  },
}));
