import './styles/main.css';
import { ApiError } from '@firmquote/client';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { noticeFailure } from './api/session.ts';
import { router } from './router.tsx';

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => void noticeFailure(error) }),
  defaultOptions: {
    queries: {
      // The client has tried again already, where that could help.
      retry: (count, error) => count < 1 && !(error instanceof ApiError),
      staleTime: 5_000,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

const place = document.getElementById('root');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
