"""The deployment kit: files that run the service by compose, systemd and Kubernetes, made from one topology."""
